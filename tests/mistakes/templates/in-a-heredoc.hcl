# expect: unknown-param at 12:26 |`nme`| unknown parameter `nme`

param "name" {
  default = "ada"
}

file.content "motd" {
  destination = "motd.txt"

  content = <<EOF
#!/bin/sh
echo "${HOME}" é {{param `nme`}}
EOF
}
