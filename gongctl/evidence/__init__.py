"""What was written about calls, held against what was said on them: each quotation is looked up in the transcripts."""
