"""Statistics over what was said: pure functions that know no cache, no policy and no tool."""
