# expect: ? at lib/back.hcl:1:8 |"../includes-its-caller.hcl"| includes-its-caller.hcl

module "lib/back.hcl" "there" {}
