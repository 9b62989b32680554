/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import jakarta.validation.Constraint;
import jakarta.validation.Payload;
import jakarta.validation.ReportAsSingleViolation;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A text that says which statements or services a caller may use; see {@link TokenOwner}. */
@Constraint(validatedBy = {})
@NotNull
@Pattern(regexp = "\\*|chunks:(\\*|[a-z][a-z0-9-]*)|[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*(\\.\\*)?")
@ReportAsSingleViolation
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE_USE)
public @interface Grant {

  String message() default
      "must be the name of a statement, a name and .*, chunks: and the name of a service, or *";

  Class<?>[] groups() default {};

  Class<? extends Payload>[] payload() default {};
}
