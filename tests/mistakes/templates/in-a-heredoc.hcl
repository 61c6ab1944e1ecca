# expect: ? at 12:20 |param `nme`| nme

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
