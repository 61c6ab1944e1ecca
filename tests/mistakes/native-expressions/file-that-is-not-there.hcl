# expect: expression at 5:22 |"missing.txt"| cannot read missing.txt

file.content "motd" {
  destination = "motd.txt"
  content     = file("missing.txt")
}
