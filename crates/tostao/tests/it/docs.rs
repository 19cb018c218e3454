//! The generated tables of the documents.
