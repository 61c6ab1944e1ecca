# expect: colon-for-equals at 4:15 |:| `:` instead of `=`

file.content "motd" {
  destination : "motd.txt"
}
