# expect: missing-param at 3:1 |module "lib/titled.hcl" "start"| parameter `title` of lib/titled.hcl is required

module "lib/titled.hcl" "start" {}
