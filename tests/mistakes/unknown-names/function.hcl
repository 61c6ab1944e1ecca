# expect: ? at 5:17 |uppr| uppr

file.content "motd" {
  destination = "motd.txt"
  content     = uppr("hello")
}
