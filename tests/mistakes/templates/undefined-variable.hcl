# expect: ? at 5:36 |$nme| $nme

file.content "motd" {
  destination = "motd.txt"
  content     = "{{$name := `x`}}{{$nme}}"
}
