# Gives the module a folder that it refuses, and a parameter that it does not have.

module "../main.hcl" "greeting" {
  params {
    folder = "sample-crate"
    whom   = "Ada"
  }
}
