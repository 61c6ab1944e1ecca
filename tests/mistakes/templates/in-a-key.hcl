# expect: unknown-param at 7:14 |`nme`| unknown parameter `nme`

task "run" {
  check = "true"

  env {
    "{{param `nme`}}" = "x"
  }
}
