# expect: missing-value at 5:15 |=| no value after `=`

file.content "motd" {
  destination = "motd.txt"
  content     =
}
