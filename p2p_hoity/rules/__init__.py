"""The rules of Hoity Toity as pure functions over a frozen state; no cryptography here."""
