# expect: bad-meta-argument at 5:17 |3| `when` must be true, false, or a predicate

file.content "motd" {
  destination = "motd.txt"
  when        = 3
}
