# expect: ? at 4:3 |defualt| defualt

param "name" {
  defualt = "a"
}
