//! The clients catchword works for: one folder each, and nobody else knows their field names.

pub mod claude_code;
