# expect: expression at 5:23 |"[a"| "[a" is not a regular expression

file.content "motd" {
  destination = "motd.txt"
  content     = regex("[a", "abc")
}
