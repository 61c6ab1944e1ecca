# expect: unexpected-param at 5:5 |nmae| lib/page.hcl has no parameter `nmae`

module "lib/page.hcl" "start" {
  params {
    nmae = "start"
  }
}
