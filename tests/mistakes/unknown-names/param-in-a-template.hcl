# expect: unknown-param at 9:32 |`usr`| unknown parameter `usr`

param "user" {
  default = "ada"
}

file.content "motd" {
  destination = "motd.txt"
  content     = "hello {{param `usr`}}\n"
}
