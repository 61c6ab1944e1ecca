# expect: unmatched-close at 6:1 |}| `}` closes nothing

file.content "motd" {
  destination = "motd.txt"
}
}
