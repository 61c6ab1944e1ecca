# expect: ? at 5:20 |joins| joins

file.content "motd" {
  destination = "motd.txt"
  content     = "{{joins `,` `a`}}"
}
