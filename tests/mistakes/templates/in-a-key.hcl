# expect: ? at 7:8 |param `nme`| nme

task "run" {
  check = "true"

  env {
    "{{param `nme`}}" = "x"
  }
}
