# expect: ? at 5:5 |titel| titel

module "lib/page.hcl" "start" {
  params {
    titel = "Home"
  }
}
