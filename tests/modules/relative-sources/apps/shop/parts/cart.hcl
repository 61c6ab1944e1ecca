module "../../../lib/page.hcl" "page" {
  params {
    name = "cart"
  }
}

file.content "note" {
  destination = "cart.note"
  content     = file("note.txt")
}
