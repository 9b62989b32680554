/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.admin.ApiProblems;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Converts refusals of all other controllers to problem documents (RFC 9457). */
@RestControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE - 1)
final class OtherProblems extends ApiProblems {}
