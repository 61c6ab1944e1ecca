# expect: ? at 9:26 |param `usr`| usr

param "user" {
  default = "ada"
}

file.content "motd" {
  destination = "motd.txt"
  content     = "hello {{param `usr`}}\n"
}
