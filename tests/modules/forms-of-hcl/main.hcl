// The forms that the original reads: three kinds of comments, quoted keys, commas, and numbers.

/* A comment
   of two lines. */
param "numbers" {
  default = [10, 010, 0x10, 1.5, -3, 1e3]
}

param "mixed" {
  default = {
    "quoted key" = "\"\\\t\u00e9\x41\101"
    plain        = true
    list         = ["a", ["b"], { c = "d" }]
  }
}

file.content "numbers" {
  destination = "numbers.json"
  "content"   = "{{paramList `numbers` | join ` `}}\n"
}

file.content "mixed" {
  destination = "mixed.json"
  content     = "{{paramMap `mixed` | jsonify}}"
}

task "spaces in names" {
  check = "test -f 'spaces in names'"
  apply = "touch 'spaces in names'"
}

file.content "after spaces" {
  destination = "after"
  content     = "café\n"
  depends     = ["task.spaces in names"]
}
