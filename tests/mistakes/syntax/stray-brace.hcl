# expect: ? at 6:1 |}| `}`

file.content "motd" {
  destination = "motd.txt"
}
}
