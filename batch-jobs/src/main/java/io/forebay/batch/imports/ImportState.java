/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.batch.jobs.JobProgress;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.ExecutionContext;

/**
 * How far an import has come, as the step's execution context keeps it. For one thread.
 *
 * <p>What {@link JobProgress} has there counts bytes of the file.
 */
final class ImportState {

  private static final String PREFIX = "forebay.import.";
  private static final String BEGUN = PREFIX + "begun";
  private static final String COMMITTED = PREFIX + "committed";
  private static final String OFFSET = PREFIX + "offset";
  private static final String LINE = PREFIX + "line";
  private static final String ACCEPTED = PREFIX + "accepted";
  private static final String REJECTED = PREFIX + "rejected";
  private static final String REJECTS = PREFIX + "rejects";
  private static final String REJECTS_LENGTH = PREFIX + "rejects-length";
  private static final String FINGERPRINT = PREFIX + "fingerprint";
  private static final String FINGERPRINT_END = PREFIX + "fingerprint-end";

  /** When the job instance began; part of its keys, so that they are never those of another. */
  final long begunMillis;

  /** When the position was kept last. */
  long committedMillis;

  /** Where the next record begins; 0 if none was read yet. */
  long offset;

  long line = 1;
  long accepted;
  long rejected;
  final Path rejects;
  long rejectsLength;

  /** Of the file up to a place that was seen. */
  private String fingerprint = "";

  private long fingerprintEnd;

  private ImportState(long begunMillis, Path rejects) {
    this.begunMillis = begunMillis;
    this.committedMillis = begunMillis;
    this.rejects = rejects;
  }

  /** At the beginning of a file. */
  static ImportState begin(long nowMillis, Path rejects) {
    return new ImportState(nowMillis, rejects);
  }

  /** Where an execution of the step has left off; null if it has not begun. */
  static @Nullable ImportState of(ExecutionContext context) {
    if (!context.containsKey(BEGUN)) {
      return null;
    }
    ImportState state =
        new ImportState(context.getLong(BEGUN), Path.of(context.getString(REJECTS)));
    state.committedMillis = context.getLong(COMMITTED);
    state.offset = context.getLong(OFFSET);
    state.line = context.getLong(LINE);
    state.accepted = context.getLong(ACCEPTED);
    state.rejected = context.getLong(REJECTED);
    state.rejectsLength = context.getLong(REJECTS_LENGTH);
    state.fingerprint = context.getString(FINGERPRINT);
    state.fingerprintEnd = context.getLong(FINGERPRINT_END, state.offset);
    return state;
  }

  /** Remembers what the file is up to there. */
  void recognize(FileChannel file, long end) throws IOException {
    fingerprint = Fingerprint.of(file, end);
    fingerprintEnd = end;
  }

  /** Whether the file is still what it was. */
  boolean recognizes(FileChannel file) throws IOException {
    return fingerprint.equals(Fingerprint.of(file, fingerprintEnd));
  }

  void store(ExecutionContext context, long totalBytes) {
    context.putLong(BEGUN, begunMillis);
    context.putLong(COMMITTED, committedMillis);
    context.putLong(OFFSET, offset);
    context.putLong(LINE, line);
    context.putLong(ACCEPTED, accepted);
    context.putLong(REJECTED, rejected);
    context.putString(REJECTS, rejects.toString());
    context.putLong(REJECTS_LENGTH, rejectsLength);
    context.putString(FINGERPRINT, fingerprint);
    context.putLong(FINGERPRINT_END, fingerprintEnd);
    context.putLong(JobProgress.TOTAL, totalBytes);
    context.putLong(JobProgress.DONE, offset);
  }

  /** How far the file was read; null if it was not. */
  static @Nullable ImportState completed(JobRepository repository, StepExecution current) {
    StepExecution last =
        repository.getLastStepExecution(
            current.getJobExecution().getJobInstance(), ImportStep.NAME);
    return last == null ? null : of(last.getExecutionContext());
  }

  /** Who gives the keys of this import's statements; the key is the line of the record. */
  String client(long instance) {
    return "job:import:%d:%d".formatted(instance, begunMillis);
  }

  /** Where rejects are until the file is read to its end; no other import has the same one. */
  Path partial(long instance) {
    return rejects.resolveSibling(
        "%s.%d-%d.part".formatted(rejects.getFileName(), instance, begunMillis));
  }

  /**
   * Gives the file of rejects its name. May be done again.
   *
   * @return where it is: under its own name, unless somebody else has used that meanwhile
   */
  Path publish(long instance) throws IOException {
    Path partial = partial(instance);
    if (Files.exists(partial)) {
      try {
        Files.createLink(rejects, partial);
      } catch (FileAlreadyExistsException _) {
        if (!Files.isSameFile(rejects, partial)) {
          return partial;
        }
      } catch (UnsupportedOperationException | FileSystemException _) {
        Files.move(partial, rejects); // where files have one name only
        return rejects;
      }
      Files.delete(partial);
    }
    return rejects;
  }

  /**
   * @param where rejects are
   */
  String figures(Path where) {
    return rejected == 0
        ? "%,d statements accepted, none rejected".formatted(accepted)
        : "%,d statements accepted, %,d records rejected (%s)".formatted(accepted, rejected, where);
  }
}
