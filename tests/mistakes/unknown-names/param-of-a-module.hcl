# expect: unexpected-param at 5:5 |titel| lib/page.hcl has no parameter `titel`

module "lib/page.hcl" "start" {
  params {
    titel = "Home"
  }
}
