# expect: ? at 5:12 |"http"| number

module "lib/typed.hcl" "start" {
  params {
    port = "http"
  }
}
