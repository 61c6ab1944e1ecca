# expect: template at 5:36 |$nme| `$nme` is not defined

file.content "motd" {
  destination = "motd.txt"
  content     = "{{$name := `x`}}{{$nme}}"
}
