# expect: ? at 4:3 |parms| parms

module "lib/page.hcl" "start" {
  parms {
    name = "x"
  }
}
