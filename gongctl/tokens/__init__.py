"""The operator's side of identity: minting access tokens, fetching an issuer's public keys."""
