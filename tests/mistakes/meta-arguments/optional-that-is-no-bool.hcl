# expect: bad-meta-argument at 5:14 |"maybe"| `optional` must be true or false

task "probe" {
  check    = "true"
  optional = "maybe"
}
