# expect: ? at 5:18 |"file.content.motd"| itself

file.content "motd" {
  destination = "motd.txt"
  depends     = ["file.content.motd"]
}
