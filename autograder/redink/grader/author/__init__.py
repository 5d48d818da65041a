"""What authors do: scaffold, build, verify, demonstrate and hand out an assignment."""
