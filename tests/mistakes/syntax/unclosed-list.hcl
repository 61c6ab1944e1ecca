# expect: ? at 4:13 |[| `]`

param "hosts" {
  default = ["alpha", "beta"
}

file.content "motd" {
  destination = "motd.txt"
}
