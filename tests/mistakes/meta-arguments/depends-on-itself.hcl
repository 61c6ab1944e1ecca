# expect: cycle at 5:18 |"file.content.motd"| `file.content.motd` waits for itself

file.content "motd" {
  destination = "motd.txt"
  depends     = ["file.content.motd"]
}
