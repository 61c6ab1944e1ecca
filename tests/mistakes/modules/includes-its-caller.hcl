# expect: include-cycle at lib/back.hcl:1:8 |"../includes-its-caller.hcl"| a module calls itself

module "lib/back.hcl" "there" {}
