# expect: ? at 5:5 |nmae| nmae

module "lib/page.hcl" "start" {
  params {
    nmae = "start"
  }
}
