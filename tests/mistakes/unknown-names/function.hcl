# expect: expression at 5:17 |uppr| no function `uppr`

file.content "motd" {
  destination = "motd.txt"
  content     = uppr("hello")
}
