# expect: missing-close at 5:1 || `]` is missing

param "hosts" {
  default = ["alpha", "beta"
}

file.content "motd" {
  destination = "motd.txt"
}
