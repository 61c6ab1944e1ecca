//! An `OpenPGP` key that signs the contents of test repositories.
//!
//! Its private key no longer exists.

/// The public key as text.
pub const KEY: &str = "\
-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEZZIAgBYJKwYBBAHaRw8BAQdAzaB4Zu8hC6yNT1JtvyGjXtUJ7Lu7oimBQO7Y
xSX48/i0GU5vYm9keSA8bm9ib2R5QGxvY2FsaG9zdD6IkAQTFggAOBYhBJw5ZB8d
NDb/4jht+Kt8UUgSW2NDBQJlkgCAAhsDBQsJCAcCBhUKCQgLAgQWAgMBAh4BAheA
AAoJEKt8UUgSW2NDnGoA/j9nnDl6Dz8a9IY98aipW9a5qNG4unEh1P8WM8n0YP9A
AQCd+L03TuYxiXOi+Sg3lgxT6OPNVfzZ1fvEh9X++CNODw==
=IY4P
-----END PGP PUBLIC KEY BLOCK-----
";

/// The fingerprint of the key.
pub const FINGERPRINT: &str = "9C39641F1D3436FFE2386DF8AB7C5148125B6343";
