/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;

/**
 * @param enabled Whether the job import exists; true in the service, false in applications with the
 *     starter.
 * @param directory The directory that must contain the files to import; none:
 *     ${forebay.data}/import.
 * @param chunk How many records are sent to the queue before the position in the file is stored; up
 *     to 10000.
 * @param maxRecord How large a record may be; from 1B to 16MB. Larger ones are rejected.
 */
@ConfigurationProperties("forebay.jobs.import")
record ImportProperties(
    @DefaultValue("false") boolean enabled,
    @Nullable Path directory,
    @DefaultValue("2000") @Min(1) @Max(10_000) int chunk,
    @DefaultValue("1MB") DataSize maxRecord)
    implements Validator {

  private static final DataSize LARGEST = DataSize.ofMegabytes(16);

  /**
   * @param data the data directory
   */
  ImportSettings settings(Path data) {
    return new ImportSettings(
        directory == null ? data.resolve("import") : directory.toAbsolutePath(),
        data.resolve("rejects"),
        chunk,
        Math.toIntExact(maxRecord.toBytes()));
  }

  @Override
  public boolean supports(Class<?> type) {
    return type == ImportProperties.class;
  }

  @Override
  public void validate(Object target, Errors errors) {
    if (maxRecord.toBytes() < 1 || maxRecord.compareTo(LARGEST) > 0) {
      errors.rejectValue("maxRecord", "size", "must be from 1B to 16MB");
    }
  }
}
