/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import java.time.Instant;

/**
 * The last error that made a service wait or fail. Kept when the service resumes.
 *
 * @param message the error, for an operator
 * @param at when it was detected
 */
public record ServiceError(String message, Instant at) {}
