# expect: ? at 4:1 |param "name"| name
# run: plan

param "name" {}

file.content "motd" {
  destination = "{{param `name`}}"
}
