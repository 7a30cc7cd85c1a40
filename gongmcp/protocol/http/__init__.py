"""The HTTP door: who may knock, who is let in, how much at once, and the SDK's streamable HTTP behind it."""
