# expect: unknown-field at 4:3 |defualt| unknown field `defualt`

param "name" {
  defualt = "a"
}
