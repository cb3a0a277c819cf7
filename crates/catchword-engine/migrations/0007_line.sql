-- The line for the person, made with the brief: PostCompact says it without unpacking the session once more. Empty where
-- there is nothing to say; NULL where no brief was given, or by a version that did not know of this.
ALTER TABLE compaction ADD COLUMN for_person TEXT;
