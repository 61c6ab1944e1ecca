# expect: template at 5:20 |joins| no function `joins`

file.content "motd" {
  destination = "motd.txt"
  content     = "{{joins `,` `a`}}"
}
