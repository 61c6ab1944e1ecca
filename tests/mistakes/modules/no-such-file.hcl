# expect: ? at 3:8 |"lib/pgae.hcl"| pgae.hcl

module "lib/pgae.hcl" "start" {}
