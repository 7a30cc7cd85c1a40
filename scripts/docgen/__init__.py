"""The generated parts of the documents: what each block holds, made from the live code."""
