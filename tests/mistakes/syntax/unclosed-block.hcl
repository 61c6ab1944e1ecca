# expect: missing-close at 6:1 || `}` is missing

file.content "motd" {
  destination = "motd.txt"
  content     = "hello"
