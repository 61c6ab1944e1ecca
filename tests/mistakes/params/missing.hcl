# expect: missing-param at 4:1 |param "name"| parameter `name` of missing.hcl is required
# run: plan

param "name" {}

file.content "motd" {
  destination = "{{param `name`}}"
}
